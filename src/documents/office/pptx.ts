// Converts PresentationML (ECMA-376, part 1, 19): slides in order, each with title, text, tables and speaker notes.
import type { DocumentContent } from '../../core/document.ts';
import { type DocumentError, tooMany, unreadable } from '../parts/document-error.ts';
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import { chartHtml, descriptionHtml, diagramHtml, readChart } from './drawings.ts';
import { FormulaReader, formulaHtml } from './docx-formula.ts';
import { NestedLists } from '../parts/nested-lists.ts';
import {
  corePropertiesName,
  readCoreProperties,
  readRelationships,
  type Relationship,
  relationshipsName,
} from './office-parts.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { readXml, type XmlAttributes } from '../parts/read-xml.ts';
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
    const xml = parts.get(slide);
    if (xml) readXml(xml, writer);
    return writer.isHidden ? [] : [{ slide, writer }];
  });
  if (shown.length === 0) throw withoutSlides();
  const written = shown.map(({ slide, writer }) => {
    const noteXml = others.get(notesOf(slide) ?? '');
    const noteWriter = new SlideWriter(new Map(), () => '');
    if (noteXml) readXml(noteXml, noteWriter);
    const note = noteWriter.html === '' ? '' : element('blockquote', noteWriter.html);
    const html = writer.html + note;
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
  readXml(xml, {
    open(name, attributes) {
      if (name === 'sldId') ids.push(attributes['r:id'] ?? '');
    },
  });
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

const bullets: Readonly<Record<string, Item['kind']>> = { buChar: 'ul', buBlip: 'ul', buAutoNum: 'ol', buNone: 'none' };

class SlideWriter {
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #drawnHtml: (relation: Relationship | undefined) => string;
  /** The title comes first, wherever it stands among the shapes. */
  #heading = '';
  readonly #parts: string[] = [];
  /** Number of open elements within skipped content. */
  #skipped = 0;
  #isInPicture = false;
  isHidden = false;
  #placeholder: string | undefined;
  #paragraph: string[] | undefined;
  /** Paragraphs of the current shape. */
  #items: Item[] = [];
  #level = 0;
  #kind: Item['kind'];
  #isInText = false;
  #isInTable = false;
  #rows = 0;
  #linkEnd = '';
  readonly #formula = new FormulaReader();
  title: string | undefined;

  constructor(links: ReadonlyMap<string, Relationship>, drawnHtml: (relation: Relationship | undefined) => string) {
    this.#links = links;
    this.#drawnHtml = drawnHtml;
  }

  get html(): string {
    return this.#heading + this.#parts.join('');
  }

  open(name: string, attributes: XmlAttributes): void {
    // It repeats the element before it.
    if (this.#skipped > 0 || name === 'Fallback') {
      this.#skipped++;
      return;
    }
    if (this.#formula.isReading || name === 'oMath' || name === 'oMathPara') {
      this.#formula.open(name, attributes);
      return;
    }
    switch (name) {
      case 'sld':
        this.isHidden = attributes['show'] === '0' || attributes['show'] === 'false';
        break;
      case 'pic':
        this.#isInPicture = true;
        break;
      case 'cNvPr':
        if (this.#isInPicture) this.#parts.push(descriptionHtml(attributes['descr']));
        break;
      case 'chart':
        this.#parts.push(this.#drawnHtml(this.#links.get(attributes['r:id'] ?? '')));
        break;
      case 'relIds':
        this.#parts.push(this.#drawnHtml(this.#links.get(attributes['r:dm'] ?? '')));
        break;
      case 'sp':
        this.#placeholder = undefined;
        this.#items = [];
        break;
      case 'ph':
        this.#placeholder = attributes['type'] ?? 'body';
        break;
      case 'p':
        this.#paragraph = [];
        this.#level = 0;
        this.#kind = undefined;
        break;
      case 'pPr':
        this.#level = Math.min(Math.max(Math.trunc(Number(attributes['lvl'])) || 0, 0), 8);
        break;
      case 'buChar':
      case 'buBlip':
      case 'buAutoNum':
      case 'buNone':
        this.#kind = bullets[name];
        break;
      case 't':
        this.#isInText = true;
        break;
      case 'br':
        this.#paragraph?.push('<br>');
        break;
      case 'hlinkClick': {
        const start = linkStart(this.#links.get(attributes['r:id'] ?? '')?.target);
        if (start === undefined || this.#linkEnd !== '' || !this.#paragraph) break;
        this.#paragraph.push(start);
        this.#linkEnd = '</a>';
        break;
      }
      case 'tbl':
        this.#isInTable = true;
        this.#rows = 0;
        this.#parts.push('<table>');
        break;
      case 'tr':
        this.#rows++;
        this.#parts.push('<tr>');
        break;
      case 'tc':
        this.#parts.push(this.#rows === 1 ? '<th>' : '<td>');
        break;
    }
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#formula.isReading) this.#formula.text(text);
    else if (this.#isInText) this.#paragraph?.push(htmlText(text));
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (this.#formula.isReading) {
      const formula = this.#formula.close();
      if (formula) this.#paragraph?.push(formulaHtml(formula));
      return;
    }
    switch (name) {
      case 't':
        this.#isInText = false;
        break;
      case 'r':
        this.#paragraph?.push(this.#linkEnd);
        this.#linkEnd = '';
        break;
      case 'p':
        this.#endParagraph(this.#paragraph?.join('').trim() ?? '');
        this.#paragraph = undefined;
        break;
      case 'pic':
        this.#isInPicture = false;
        break;
      case 'sp':
        this.#endShape();
        break;
      case 'tc':
        this.#parts.push(this.#rows === 1 ? '</th>' : '</td>');
        break;
      case 'tr':
        this.#parts.push('</tr>');
        break;
      case 'tbl':
        this.#isInTable = false;
        this.#parts.push('</table>');
        break;
    }
  }

  #endParagraph(html: string): void {
    if (html === '') return;
    if (this.#isInTable) this.#parts.push(element('p', html));
    else this.#items.push({ html, level: this.#level, kind: this.#kind });
  }

  #endShape(): void {
    const [items, placeholder] = [this.#items, this.#placeholder];
    this.#items = [];
    if (items.length === 0 || furniture.has(placeholder ?? '')) return;
    if (placeholder === 'title' || placeholder === 'ctrTitle') {
      const html = items.map((item) => item.html).join(' ');
      this.title ??= textOf(html);
      if (this.#heading === '') this.#heading = element('h2', html);
      else this.#parts.push(element('h2', html));
    } else {
      const usual = placeholder === 'body' && items.length > 1 ? 'ul' : 'none';
      const lists = new NestedLists(this.#parts);
      for (const { html, level, kind = usual } of items) {
        if (kind !== 'none') lists.add(kind, level + 1, html);
        else {
          lists.end(0);
          this.#parts.push(element('p', html));
        }
      }
      lists.end(0);
    }
  }
}
