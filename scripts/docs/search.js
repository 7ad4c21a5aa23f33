// The search of the documentation. The index is a script, because a page opened from the disk may not fetch; it is loaded when the field
// gets the focus.
const folder = document.currentScript.dataset.top;
const field = document.getElementById('search');
const list = document.getElementById('found');
const MAX_SHOWN = 12;
/** Pages that users rarely look for. */
const RARE = /^(?:docs\/contributing|bench|CHANGELOG|CONTRIBUTING)/;
let index;

/** Called by index.js. */
globalThis.foundIn = (options, text) => {
  index = MiniSearch.loadJSON(text, options);
  show();
};

function show() {
  const query = field.value.trim();
  list.hidden = query === '' || index === undefined;
  if (list.hidden) return;
  const boostDocument = (id) => (RARE.test(id) ? 0.2 : 1);
  const found = index.search(query, { prefix: true, boost: { title: 3 }, boostDocument, combineWith: 'AND' });
  list.replaceChildren(...found.slice(0, MAX_SHOWN).map(item));
  if (found.length === 0) list.textContent = 'Nothing found';
}

function item({ title, page, url }) {
  const link = document.createElement('a');
  link.href = folder + url;
  link.textContent = title === page ? title : `${page}: ${title}`;
  const row = document.createElement('li');
  row.append(link);
  return row;
}

field.addEventListener('focus', load, { once: true });
field.addEventListener('input', show);
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') list.querySelector('a')?.click();
  if (key === 'Escape') list.hidden = true;
});
list.addEventListener('click', () => {
  list.hidden = true;
});

function load() {
  const script = document.createElement('script');
  script.src = `${folder}site/index.js`;
  document.head.append(script);
}
