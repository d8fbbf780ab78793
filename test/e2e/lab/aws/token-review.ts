import { type Answer, type Listening, type Request, serve } from '../forward.ts';
import { textAt } from '../json.ts';
import type { Caller } from './access-entries.ts';

/** Returns the caller that signed with a session token; undefined if it has no access entry. */
export type CallerOf = (sessionToken: string | undefined) => Promise<Caller | undefined>;

const PREFIX = 'k8s-aws-v1.';
/** EKS accepts a token for 15 min from its date, whatever expiry it contains. */
const VALID_FOR_MS = 15 * 60_000;

/**
 * Verifies tokens as EKS does: each is a presigned GetCallerIdentity request for one cluster, from
 * a caller with an access entry. The signature is not verified: STS does that in AWS, and no
 * emulator does.
 *
 * @see aws-iam-authenticator, pkg/token
 */
export async function startTokenReview(
  callerOf: CallerOf,
): Promise<Listening & { readonly url: string; readonly refusals: readonly string[] }> {
  const refusals: string[] = [];

  async function answer({ body }: Request): Promise<Answer> {
    const review: unknown = JSON.parse(body.toString());
    const status = await judge(textAt(review, 'spec', 'token'), callerOf);
    if (!status.authenticated) refusals.push(status.error);
    const text = JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      status,
    });
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(text),
    };
  }

  const listening = await serve(answer);
  return { ...listening, url: `http://127.0.0.1:${listening.port}/`, refusals };
}

type Status =
  | { authenticated: false; error: string }
  | { authenticated: true; user: { username: string; uid: string; groups: readonly string[] } };

async function judge(token: string, callerOf: CallerOf): Promise<Status> {
  const refuse = (error: string): Status => ({ authenticated: false, error });
  if (!token.startsWith(PREFIX)) return refuse('no EKS token');
  const text = Buffer.from(token.slice(PREFIX.length), 'base64url').toString();
  if (!URL.canParse(text)) return refuse('no URL in the token');

  const url = new URL(text);
  const problem = problemOf(url, Date.now());
  if (problem !== undefined) return refuse(problem);
  const caller = await callerOf(url.searchParams.get('X-Amz-Security-Token') ?? undefined);
  if (!caller) return refuse('no access entry');
  const { name, groups } = caller;
  return { authenticated: true, user: { username: name, uid: name, groups } };
}

function problemOf(url: URL, now: number): string | undefined {
  const get = (name: string): string => url.searchParams.get(name) ?? '';
  if (!/^sts(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/.test(url.host)) return `${url.host} is not STS`;
  if (url.protocol !== 'https:' || url.pathname !== '/') return 'not a request to STS';
  if (get('Action') !== 'GetCallerIdentity') return `action ${get('Action')}`;
  const signed = get('X-Amz-SignedHeaders').split(';');
  if (!signed.includes('host') || !signed.includes('x-k8s-aws-id')) return 'cluster not signed';

  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(get('X-Amz-Date'));
  if (!date) return 'no date';
  const [, ...parts] = date.map(Number);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const age = now - Date.UTC(year, month - 1, day, hour, minute, second);
  return age > VALID_FOR_MS || age < -60_000 ? 'expired' : undefined;
}
