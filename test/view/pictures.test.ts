/** Compares screenshots with those in test/view/baselines/, which `npm run shots` renews. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { chromiumVersion, hasNoBrowser, useBrowser } from './browser.ts';

const { folder, open } = useBrowser();
const script = resolve(import.meta.dirname, '../../scripts/shots.mjs');
const baselines = join(import.meta.dirname, 'baselines');
const names = readdirSync(baselines).filter((name) => name.endsWith('.webp'));
const MAX_DIFFERENT = 0.002;

const majorOf = (version: string): string => version.trim().split('.', 1)[0] as string;
const isOther =
  !hasNoBrowser &&
  majorOf(chromiumVersion()) !== majorOf(readFileSync(join(baselines, 'chromium-version'), 'utf8'));
const taken = join(folder, 'taken');

beforeAll(async () => {
  if (!hasNoBrowser && !isOther) await promisify(execFile)(process.execPath, [script, '--to', taken]);
});

const dataUrl = (path: string, type: string): string =>
  `data:image/${type};base64,${readFileSync(path).toString('base64')}`;

test('there are six baselines', () => expect(names).toHaveLength(6));

const why = isOther ? ' (needs the chromium of the baselines)' : '';
test.skipIf(hasNoBrowser || isOther).each(names)(`%s looks as it did${why}`, async (name) => {
  const { page } = await open('about:blank');
  const share = await page.evaluate(
    async ([was, now]) => {
      const pixelsOf = async (url: string): Promise<ImageData> => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        const context = new OffscreenCanvas(width, height).getContext('2d');
        if (context === null) throw new Error('no canvas');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, width, height);
      };
      const [a, b] = await Promise.all([pixelsOf(was as string), pixelsOf(now as string)]);
      if (a.width !== b.width || a.height !== b.height) return 1;
      const leastSeen = 16; // of 255, in any colour
      let different = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        const isSame = [0, 1, 2].every(
          (k) => Math.abs((a.data[i + k] as number) - (b.data[i + k] as number)) < leastSeen,
        );
        if (!isSame) different += 1;
      }
      return different / (a.width * a.height);
    },
    [dataUrl(join(baselines, name), 'webp'), dataUrl(join(taken, name.replace(/webp$/, 'png')), 'png')],
  );
  expect(share, 'share of the pixels that differ; npm run shots renews the baselines').toBeLessThanOrEqual(
    MAX_DIFFERENT,
  );
  await page.context().close();
});
