import { describe, expect, it } from 'vitest';
import { mayHoldBuilderCodes, removeBuilderCodes, withoutBuilderCodes } from './builder-codes.ts';
import { nodeText } from './node-text.ts';
import { parseHtml } from './parse-html.ts';

describe('codes of page builders', () => {
  it.each<[why: string, text: string, left: string]>([
    ['codes around a text', '[vc_row][vc_column_text]Rakes[/vc_column_text][/vc_row]', 'Rakes'],
    ['codes with attributes', 'Rakes [vc_row css=".vc_custom_1{margin: 0}"] of ash', 'Rakes of ash'],
    ['codes that touch each other', 'Rakes[/et_pb_text][et_pb_text] of ash', 'Rakes of ash'],
    ['a text of placeholders', '{{ price }} – {{ item.name | upper }}', ''],
    ['no single code in a sentence about it', 'Use [vc_row] for a row.', 'Use [vc_row] for a row.'],
    ['no placeholder in a sentence', 'Write {{ name }} here.', 'Write {{ name }} here.'],
    ['no object of a script', '{{ width: 1 }}', '{{ width: 1 }}'],
    ['no other words in brackets', '[sic] and [vc] and [1]', '[sic] and [vc] and [1]'],
  ])('withoutBuilderCodes: removes %s', (_, text, left) => {
    expect(withoutBuilderCodes(text).replaceAll(/\s+/g, ' ').trim()).toBe(left);
  });

  it('removeBuilderCodes: keeps codes in code and in scripts', () => {
    const html = '<p>[vc_row]Rakes[/vc_row]</p><pre>[vc_row]</pre><code>{{ name }}</code><textarea>{{ a }}</textarea>';
    const document = parseHtml(html);
    expect(mayHoldBuilderCodes(html)).toBe(true);
    removeBuilderCodes(document);
    expect(nodeText(document.children).trim()).toBe('Rakes [vc_row]{{ name }}{{ a }}');
  });

  it.each(['[vc_a] x ', '[vc_a ', '{{a}}', '{{', '[/vc_a]', ' '.repeat(50) + '[vc_a]x'])(
    'withoutBuilderCodes: reads a megabyte of %j in linear time',
    (part) => {
      const start = process.cpuUsage();
      withoutBuilderCodes(part.repeat(1_000_000 / part.length));
      expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
    },
  );
});
