import type { Fragment } from '../../../core/page.ts';
import type { FoundText, TextQuery } from '../../../core/ports/changes.ts';
import { isAsStored } from '../../rules/pages/checksums.ts';
import type { Connections } from '../connection/connections.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

interface Row extends Omit<Fragment, 'deflated'> {
  readonly deflated: Uint8Array | null;
  readonly place: number;
  readonly packed_crc: number;
}

/** See `JobChanges.texts`. The sizes decide which texts are returned before their contents are read. */
export async function readTexts(
  connections: Connections,
  { places, withText, bytesMax }: TextQuery,
): Promise<FoundText[]> {
  const table = withText ? 'body' : 'page';
  const rows = await connections.queryBytes<Row>(
    `WITH sized AS MATERIALIZED (
       SELECT u.place, u.at, t.id, coalesce(sum(t.length) OVER (ORDER BY u.at), 0) - coalesce(t.length, 0) AS before
       FROM unnest($1::bigint[]) WITH ORDINALITY AS u (place, at)
         LEFT JOIN ${table} t ON t.id = u.place AND t.text_of IS NULL)
     SELECT s.place, t.deflated, t.crc, t.length, t.packed_crc FROM sized s LEFT JOIN ${table} t ON t.id = s.id
     WHERE s.before <= $2 ORDER BY s.at`,
    [places, bytesMax],
  );
  return rows.map(({ place, deflated, crc, length, packed_crc: checksum }) => {
    const page = place % pagesPerJob;
    if (deflated === null) return undefined;
    const fragment = { deflated, crc, length };
    if (!isAsStored(page, fragment, checksum)) return 'damaged';
    return withText ? { page, body: fragment } : { page, meta: fragment };
  });
}
