/** Images from the data of a log. No other image is loaded. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { showBytes } from '../../charts/numbers.ts';

/** Larger images are shown on a click. */
const LARGE_IMAGE = 200_000;
export const IMAGE: RegExp = /^data:image\/(?:png|jpeg|gif|webp)[;,]/;
const SHOWN_ADDRESS = 120;

/** Returns where a text can be cut: after the image whose data would be cut, or at `most`. */
export function endOfImage(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const start = text.lastIndexOf('](data:image/', most);
  const end = start < 0 ? -1 : text.indexOf(')', start);
  return end < most ? most : end + 1;
}

export function Picture({ address }: { readonly address: string }): VNode {
  const [isShown, show] = useState(address.length < LARGE_IMAGE);
  if (!IMAGE.test(address))
    return (
      <p class="note">
        image not loaded: <bdi class="mono">{address.slice(0, SHOWN_ADDRESS)}</bdi>
      </p>
    );
  if (isShown) return <img src={address} alt="part of the message" loading="lazy" />;
  return (
    <button type="button" class="more" onClick={() => show(true)}>
      show image, {showBytes(Math.round(address.length * 0.75))}
    </button>
  );
}
