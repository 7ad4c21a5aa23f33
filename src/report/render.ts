/** Renders the report as the text of one HTML file: no script, no request, and the same bytes for the same data. */
import { createHash } from 'node:crypto';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { designCss } from '../charts/design-css.ts';
import { reportCss } from '../charts/report-css.ts';
import { Page } from './page.tsx';
import type { ReportData } from './report-data.ts';

export function renderReport(data: ReportData): string {
  const css = designCss + reportCss;
  const hash = createHash('sha256').update(css).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<title>turnmill report</title>',
    `<style>${css}</style>`,
  ].join('');
  return `<!doctype html>\n<html lang="en"><head>${head}</head>${renderToString(h(Page, { data }))}</html>\n`;
}
