// Converts PresentationML (ECMA-376, part 1, 19): slides in order, each with title, text, tables and speaker notes.
import type { DocumentContent } from '../../core/document.ts';
import { type DocumentError, tooMany, unreadable } from '../parts/document-error.ts';
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import { chartHtml, descriptionHtml, diagramHtml, readChart } from './drawings.ts';
import { withFormulas } from './docx-formula.ts';
import {
  corePropertiesName,
  readCoreProperties,
  readRelationships,
  type Relationship,
  relationshipsName,
} from './office-parts.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml, type XmlElement, type XmlHandler } from '../parts/read-xml.ts';
import { TextWriter } from '../parts/text-writer.ts';
import { openZip } from './zip-archive.ts';

const presentationName = 'ppt/presentation.xml';
const charactersMax = 20_000_000;

export function readPptx({ bytes }: FileBytes): DocumentContent {
  const archive = openZip(bytes);
  const first = archive.read([presentationName, relationshipsName(presentationName), corePropertiesName]);
  const presentation = first.get(presentationName);
  if (!presentation) throw withoutSlides();
  const targets = readRelationships(first.get(relationshipsName(presentationName)), presentationName);
  // A presentation lists each slide once.
  const slides = [...new Set(slideIds(presentation).flatMap((id) => targets.get(id)?.target ?? []))];
  const parts = archive.read(slides.flatMap((name) => [name, relationshipsName(name)]));
  if (!slides.some((name) => parts.has(name))) throw withoutSlides();
  const relations = new Map(slides.map((name) => [name, readRelationships(parts.get(relationshipsName(name)), name)]));
  const notesOf = (slide: string): string | undefined =>
    [...(relations.get(slide)?.values() ?? [])].find(({ type }) => type === 'notesSlide')?.target;
  const others = archive.read(
    slides.flatMap((slide) => [
      ...[notesOf(slide) ?? []].flat(),
      ...[...(relations.get(slide)?.values() ?? [])].filter(({ type }) => drawn.has(type)).map(({ target }) => target),
    ]),
  );
  const drawnHtml = (relation: Relationship | undefined): string => {
    const xml = others.get(relation?.target ?? '');
    return (xml && drawn.get(relation?.type ?? '')?.(xml)) ?? '';
  };

  let characters = 0;
  const shown = slides.flatMap((slide) => {
    const writer = new SlideWriter(relations.get(slide) ?? new Map(), drawnHtml);
    readXml(parts.get(slide), writer.handler);
    return writer.isHidden ? [] : [{ slide, writer }];
  });
  if (shown.length === 0) throw withoutSlides();
  const written = shown.map(({ slide, writer }) => {
    const noteWriter = new SlideWriter(new Map(), () => '');
    readXml(others.get(notesOf(slide) ?? ''), noteWriter.handler);
    const note = noteWriter.finish();
    const html = writer.finish() + (note === '' ? '' : element('blockquote', note));
    // Count the output: all slides can share the same notes.
    characters += html.length;
    if (characters > charactersMax) throw tooMany('characters', charactersMax);
    return { title: writer.title, html };
  });
  const metadata = readCoreProperties(first.get(corePropertiesName));
  return {
    metadata: { ...metadata, title: metadata.title ?? written[0]?.title, pageCount: shown.length },
    blocks: written.filter(({ html }) => html !== '').map(({ html }) => ({ kind: 'html', html })),
  };
}

/** What slides show of other parts, by the type of the relationship. */
const drawn: ReadonlyMap<string, (xml: Uint8Array) => string> = new Map([
  ['chart', (xml) => chartHtml(readChart(xml))],
  ['diagramData', diagramHtml],
]);

function withoutSlides(): DocumentError {
  return unreadable('The file has no slides that PowerPoint would show.');
}

function slideIds(xml: Uint8Array): string[] {
  const ids: string[] = [];
  readXml(xml, { elements: { sldId: { open: ({ 'r:id': id = '' }) => ids.push(id) } } });
  return ids;
}

/** Placeholders that repeat on every slide. */
const furniture: ReadonlySet<string> = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);

interface Item {
  readonly html: string;
  /** From 0 to 8. */
  readonly level: number;
  /** As the paragraph states it; undefined if the layout decides. */
  readonly kind: 'ul' | 'ol' | 'none' | undefined;
}

class SlideWriter {
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #drawnHtml: (relation: Relationship | undefined) => string;
  /** The title comes first, wherever it stands among the shapes. */
  #heading = '';
  readonly #text = new TextWriter();
  #isInPicture = false;
  isHidden = false;
  #placeholder: string | undefined;
  #paragraph: string[] | undefined;
  /** Paragraphs of the current shape. */
  #items: Item[] = [];
  #level = 0;
  #kind: Item['kind'];
  #isInTable = false;
  #linkEnd = '';
  title: string | undefined;

  constructor(links: ReadonlyMap<string, Relationship>, drawnHtml: (relation: Relationship | undefined) => string) {
    this.#links = links;
    this.#drawnHtml = drawnHtml;
  }

  finish(): string {
    return this.#heading + this.#text.end();
  }

  readonly #elements: Readonly<Record<string, XmlElement>> = {
    sld: { open: ({ show }) => (this.isHidden = show === '0' || show === 'false') },
    pic: { open: () => (this.#isInPicture = true), close: () => (this.#isInPicture = false) },
    cNvPr: { open: ({ descr }) => this.#isInPicture && this.#text.put(descriptionHtml(descr)) },
    chart: { open: ({ 'r:id': id }) => this.#putDrawn(id) },
    relIds: { open: ({ 'r:dm': id }) => this.#putDrawn(id) },
    sp: { open: () => this.#beginShape(), close: () => this.#endShape() },
    ph: { open: ({ type = 'body' }) => (this.#placeholder = type) },
    p: { open: () => this.#beginParagraph(), close: () => this.#endParagraph() },
    pPr: { open: ({ lvl }) => (this.#level = Math.min(Math.max(Math.trunc(Number(lvl)) || 0, 0), 8)) },
    buChar: { open: () => (this.#kind = 'ul') },
    buBlip: { open: () => (this.#kind = 'ul') },
    buAutoNum: { open: () => (this.#kind = 'ol') },
    buNone: { open: () => (this.#kind = 'none') },
    r: { close: () => this.#endLink() },
    t: { close: (text) => this.#paragraph?.push(htmlText(text)) },
    br: { open: () => this.#paragraph?.push('<br>') },
    hlinkClick: { open: ({ 'r:id': id = '' }) => this.#beginLink(linkStart(this.#links.get(id)?.target)) },
    tbl: { open: () => this.#beginTable(), close: () => this.#endTable() },
    tr: { open: () => this.#text.beginRow() },
    tc: { open: () => this.#text.beginCell(), close: () => this.#text.endCell() },
  };

  readonly handler: XmlHandler = {
    ...withFormulas(this.#elements, (html) => this.#paragraph?.push(html)),
    // It repeats the element before it.
    leavesOut: (name) => name === 'Fallback',
  };

  #putDrawn(id = ''): void {
    this.#text.put(this.#drawnHtml(this.#links.get(id)));
  }

  #beginTable(): void {
    this.#isInTable = true;
    this.#text.beginTable(true);
  }

  #endTable(): void {
    this.#isInTable = false;
    this.#text.endTable();
  }

  #beginParagraph(): void {
    this.#paragraph = [];
    this.#level = 0;
    this.#kind = undefined;
  }

  #endParagraph(): void {
    const html = this.#paragraph?.join('').trim() ?? '';
    this.#paragraph = undefined;
    if (html === '') return;
    if (this.#isInTable) this.#text.put(element('p', html));
    else this.#items.push({ html, level: this.#level, kind: this.#kind });
  }

  #beginLink(start: string | undefined): void {
    if (start === undefined || this.#linkEnd !== '' || !this.#paragraph) return;
    this.#paragraph.push(start);
    this.#linkEnd = '</a>';
  }

  #endLink(): void {
    this.#paragraph?.push(this.#linkEnd);
    this.#linkEnd = '';
  }

  #beginShape(): void {
    this.#placeholder = undefined;
    this.#items = [];
  }

  #endShape(): void {
    const [items, placeholder] = [this.#items, this.#placeholder];
    this.#items = [];
    if (items.length === 0 || furniture.has(placeholder ?? '')) return;
    if (placeholder === 'title' || placeholder === 'ctrTitle') {
      const html = items.map((item) => item.html).join(' ');
      this.title ??= textOf(html);
      if (this.#heading === '') this.#heading = element('h2', html);
      else this.#text.put(element('h2', html));
      return;
    }
    const usual = placeholder === 'body' && items.length > 1 ? 'ul' : 'none';
    for (const { html, level, kind = usual } of items) {
      if (kind === 'none') this.#text.paragraph(html, {});
      else this.#text.here.item(kind, level + 1, html);
    }
    this.#text.here.endLists();
  }
}
