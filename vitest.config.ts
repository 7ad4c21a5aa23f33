import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    maxWorkers: '100%', // the default leaves a core free, which on two cores halves the speed
    reporters: ['default', './test/support/skip-reporter.ts'],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'transforms/**/*.ts'] },
  },
});
