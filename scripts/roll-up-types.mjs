// Rolls up the type declarations of the library into dist/package/index.d.ts. Needs a build. Declarations that index.ts does not export, but
// exported ones use, are included without `export`.
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = 'dist/src/index.d.ts';

const config = ExtractorConfig.prepare({
  configObjectFullPath: undefined,
  packageJsonFullPath: `${root}package.json`,
  configObject: {
    projectFolder: root,
    mainEntryPointFilePath: `${root}${entry}`,
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          ...{ target: 'es2023', lib: ['es2023'], module: 'nodenext', types: ['node'] },
          ...{ strict: true, skipLibCheck: true },
        },
        files: [entry],
      },
    },
    apiReport: { enabled: false },
    docModel: { enabled: false },
    tsdocMetadata: { enabled: false },
    dtsRollup: { enabled: true, untrimmedFilePath: `${root}dist/package/index.d.ts` },
    messages: {
      compilerMessageReporting: { default: { logLevel: 'error' } },
      extractorMessageReporting: { default: { logLevel: 'none' } },
      tsdocMessageReporting: { default: { logLevel: 'none' } },
    },
  },
});

const { succeeded } = Extractor.invoke(config, {
  localBuild: true,
  messageCallback(message) {
    message.handled = true;
    if (message.logLevel === 'error') console.error(message.text);
  },
});
process.exitCode = succeeded ? 0 : 1;
