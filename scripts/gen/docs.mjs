// The generated pages. Each is made from the built program, the source or the tests, so that it cannot disagree with the code.
import { cliPage } from './cli-page.mjs';
import { dataModelPage } from './data-model-page.mjs';
import { datasetPage } from './dataset-page.mjs';
import { dialectsPage } from './dialects-page.mjs';
import { faultsPage } from './faults-page.mjs';
import { formatsPage } from './formats-page.mjs';
import { rejectionsPage } from './rejections-page.mjs';

/** @returns the pages' texts by path below the root */
export async function make(root) {
  return [
    ['docs/contributing/data-model.md', await dataModelPage(root)],
    ['docs/reference/dialects.md', await dialectsPage(root)],
    ['docs/reference/dataset-files.md', datasetPage(root)],
    ['docs/reference/formats.md', await formatsPage(root)],
    ['docs/reference/rejections.md', await rejectionsPage(root)],
    ['docs/cli.md', await cliPage(root)],
    ['docs/contributing/faults.md', faultsPage(root)],
  ];
}
