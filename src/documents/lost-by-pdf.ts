/** Names of the exceptions of pdf.js. */
const names =
  /^(?:XRef\w*|FormatError|ParserEOFException|MissingDataException|InvalidPDFException|UnknownErrorException)$/;

/**
 * True for a rejection that nobody handles because pdf.js repairs damaged files and loses promises of its first try. Any
 * other one is a defect. Without this, one damaged file would end the thread.
 */
export function isLostByPdf(error: unknown): boolean {
  return error instanceof Error && names.test(error.name);
}
