/** What keeps a page or a search from being read. */
export type WebErrorCode =
  | 'urlRefused'
  | 'headerRefused'
  | 'addressRefused'
  | 'nameUnknown'
  | 'notAllowed'
  | 'connectionFailed'
  | 'timedOut'
  | 'tooManyRedirects'
  | 'typeNotReadable'
  | 'encodingUnknown'
  | 'tooLarge'
  | 'notConverted'
  | 'statusRefused'
  | 'emptyDocument'
  | 'searchNotSetUp'
  | 'searchFailed';

type Facts = Readonly<Record<string, string>>;

const modelText: Record<WebErrorCode, (facts: Facts) => string> = {
  urlRefused: (f) => `The URL is refused: ${f['reason'] ?? 'it is not usable'}.`,
  headerRefused: (f) => `The header ${f['name'] ?? ''} is refused: ${f['reason'] ?? 'it is not allowed'}.`,
  addressRefused: (f) =>
    `${f['host'] ?? ''} is refused: ${f['address'] ?? ''} is ${f['range'] ?? 'no address of one machine'}, which is never fetched from.`,
  nameUnknown: (f) => `The name ${f['host'] ?? ''} has no address.`,
  notAllowed: (f) => `${f['url'] ?? 'The address'} was not fetched. ${f['reason'] ?? ''}`.trimEnd(),
  connectionFailed: (f) => `${f['host'] ?? ''} could not be read: ${f['reason'] ?? 'the connection failed'}.`,
  timedOut: (f) => `${f['host'] ?? ''} did not answer in time: ${f['limit'] ?? ''}.`,
  tooManyRedirects: (f) => `There were more than ${f['limit'] ?? ''} redirects.`,
  typeNotReadable: (f) =>
    `${f['type'] ?? 'This document'} is no type that is read; text, JSON, XML and XHTML are.`,
  encodingUnknown: (f) => `The document is packed in a way that is not read: ${f['reason'] ?? ''}.`,
  tooLarge: (f) => `The document is larger than ${f['limit'] ?? ''} bytes.`,
  notConverted: () =>
    'The page could not be made into Markdown in the time for it. Ask for the format original.',
  statusRefused: (f) => `Nothing was saved: the server answered with the status ${f['status'] ?? ''}.`,
  emptyDocument: () => 'Nothing was saved: the document is empty.',
  searchNotSetUp: () =>
    'No search service is set up. The user can name one in the setting termind.webSearch.',
  searchFailed: (f) => `The search service failed: ${f['reason'] ?? ''}.`,
};

/** A failure with a code; the message is the model's sentence. The executor takes it as it is, because it carries a `fault`. */
export class WebError extends Error {
  override readonly name = 'WebError';
  readonly fault: { readonly code: WebErrorCode; readonly facts: Facts };

  constructor(code: WebErrorCode, facts: Facts = {}, cause?: unknown) {
    super(modelText[code](facts), { cause });
    this.fault = { code, facts };
  }
}
