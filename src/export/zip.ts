import { PageFileNames } from '../page/page-file.ts';
import { eachKeptPage, type Encode } from './export-format.ts';
import { CentralDirectory, endOfArchive, localHeader, zipEntry } from './zip-records.ts';

/** A file per page, named after its URL, as `hayrake crawl --out` writes them. */
export const encodeZip: Encode = async function* (slices, job) {
  const names = new PageFileNames(job.outputFormat);
  const directory = new CentralDirectory();
  let offset = 0;
  for await (const page of eachKeptPage(slices)) {
    const { name, content } = names.fileOf(page);
    const entry = zipEntry(name, Buffer.from(content), job.createdAt);
    const header = localHeader(entry);
    directory.add(entry, offset);
    offset += header.length + entry.packed.length;
    yield header;
    yield entry.packed;
  }
  yield* directory.bytes();
  yield endOfArchive(directory, offset);
};
