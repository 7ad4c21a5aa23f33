import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // only for what hangs: no test may depend on how fast or how busy the machine is
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
    expect: { poll: { timeout: 10 * 60_000, interval: 20 } },
    maxWorkers: '100%', // the default leaves a core free, which on two cores halves the speed
    reporters: ['default', './test/support/skip-reporter.ts'],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'transforms/**/*.ts'] },
  },
});
