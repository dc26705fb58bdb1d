// `npm run docs [folder]`: the documents as static pages, in `site/` where no folder is given. Ends with 1 where a link
// leads to no page, no file or no heading. `PERDURE_DOCS` names another folder with documents, for tests.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const root = resolve(process.env.PERDURE_DOCS ?? dirname(dirname(fileURLToPath(import.meta.url))));
const site = resolve(process.argv[2] ?? join(root, 'site'));
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'definitions/README.md'];

const documents = [
  ...DOCUMENTS.filter((file) => existsSync(join(root, file))),
  ...['docs', 'docs/decisions'].flatMap((folder) => markdownIn(folder)),
];
const problems = [];
const pages = new Map(documents.map((file) => [file, render(file)]));
rmSync(site, { recursive: true, force: true });
for (const [file, { html }] of pages) write(pageOf(file), html);
for (const [file, { links }] of pages) for (const target of links) check(file, target);
write('style.css', style());
for (const problem of problems) console.error(problem);
console.error(`docs: ${pages.size} pages, ${problems.length} broken links`);
process.exitCode = problems.length === 0 ? 0 : 1;

function markdownIn(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function pageOf(file) {
  return file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html');
}

/** A document as a page, with its links as they were written and the names of its headings. */
function render(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const links = [];
  const anchors = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const anchor = anchorOf(heading, anchors);
        anchors.push(anchor);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        if (/^[a-z]+:/.test(href)) return `<a href="${href}" rel="noreferrer">${words}</a>`;
        links.push(href);
        return `<a href="${hrefOf(file, href)}">${words}</a>`;
      },
      image({ href, text: alt }) {
        links.push(href);
        return `<img src="${href}" alt="${alt}">`;
      },
    },
  });
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  return { html: pageHtml(file, title, marked.parse(text)), links, anchors };
}

/** As GitHub names headings, so that links work at both places. */
function anchorOf(heading, before) {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const same = before.filter((anchor) => anchor === slug || anchor.startsWith(`${slug}-`)).length;
  return before.includes(slug) ? `${slug}-${same}` : slug;
}

function hrefOf(file, href) {
  const [path, anchor] = href.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  const to = isDocument(target) ? relative(dirname(pageOf(file)), pageOf(target)) || pageOf(target) : path;
  return anchor === undefined ? to : `${path === '' ? '' : to}#${anchor}`;
}

function isDocument(file) {
  return documents.includes(file);
}

/** Says what a link lacks; what it leads to beside documents comes along. */
function check(file, href) {
  const [path, anchor] = href.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  const page = pages.get(target);
  if (page !== undefined) {
    if (anchor !== undefined && !page.anchors.includes(anchor)) problems.push(`${file}: ${href}: no such heading`);
    return;
  }
  const from = join(root, target);
  if (!existsSync(from)) problems.push(`${file}: ${href}: no such file`);
  else if (statSync(from).isDirectory()) write(join(target, 'index.html'), folderHtml(target));
  else copy(target);
}

function folderHtml(folder) {
  const names = readdirSync(join(root, folder)).sort();
  const items = names.map((name) => {
    const isFile = statSync(join(root, folder, name)).isFile();
    if (isFile) copy(join(folder, name));
    return `<li>${isFile ? `<a href="${name}">${name}</a>` : `${name}/`}</li>`;
  });
  return pageHtml(join(folder, 'x'), folder, `<h1>${folder}</h1>\n<ul>${items.join('\n')}</ul>`);
}

function copy(file) {
  const to = join(site, file);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(root, file), to);
}

function write(path, html) {
  const to = join(site, path);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, html);
}

function pageHtml(file, title, body) {
  const up = relative(dirname(file), '.') || '.';
  const nav = documents
    .filter((document) => !document.startsWith('docs/decisions/') || document.endsWith('README.md'))
    .map((document) => `<li><a href="${up}/${pageOf(document)}">${nameOf(document)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replace(/[`<>&]/g, '')} · Perdure</title>
<link rel="stylesheet" href="${up}/style.css">
</head>
<body>
<nav aria-label="Documents"><ul>
${nav.join('\n')}
</ul></nav>
<main>
${body}
</main>
</body>
</html>
`;
}

function nameOf(document) {
  if (document === 'README.md') return 'Perdure';
  if (document.endsWith('/README.md')) return dirname(document).split('/').at(-1);
  return document
    .replace(/^docs\/|\.md$/g, '')
    .toLowerCase()
    .replaceAll('-', ' ');
}

function style() {
  return `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: flex; flex-wrap: wrap; gap: 2rem; margin: 0 auto; max-width: 76rem; padding: 1rem; }
nav { flex: 0 0 11rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
main { flex: 1 1 30rem; min-width: 0; }
pre, table { display: block; overflow-x: auto; }
pre { background: color-mix(in srgb, currentColor 8%, transparent); padding: .75rem; }
code { font-size: .9em; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  padding: .3rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
`;
}
