/** A faulty endpoint at the address of the webhooks. */
export interface BadEndpoint {
  readonly title: string;
  /** `reset` closes the connection, `silence` never answers. */
  readonly behaves:
    | 'reset'
    | 'silence'
    | {
        readonly status: number;
        readonly body: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
}

const review = (response: object): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

/**
 * With each of these, a write that matches a webhook must succeed within little more than a second.
 */
export const BAD_ENDPOINTS: readonly BadEndpoint[] = [
  { title: 'fails', behaves: { status: 500, body: 'out of order' } },
  { title: 'refuses the token', behaves: { status: 403, body: '' } },
  { title: 'is throttled', behaves: { status: 429, body: '' } },
  {
    title: 'is throttled and asks to be called again',
    behaves: { status: 429, body: '', headers: { 'retry-after': '1' } },
  },
  { title: 'is another site', behaves: { status: 200, body: '<html></html>' } },
  { title: 'answers with an empty body', behaves: { status: 200, body: '' } },
  { title: 'redirects', behaves: { status: 302, body: '', headers: { location: '/' } } },
  {
    title: 'answers another request',
    behaves: { status: 200, body: review({ uid: 'another', allowed: true }) },
  },
  { title: 'answers without a request id', behaves: { status: 200, body: review({}) } },
  { title: 'closes the connection', behaves: 'reset' },
  { title: 'never answers', behaves: 'silence' },
];
