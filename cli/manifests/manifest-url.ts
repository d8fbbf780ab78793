import type { ManifestSource } from '../../shared/api/manifests/cluster-manifests.ts';
import { fail } from '../errors.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

type Fetch = (url: string, init: { signal: AbortSignal }) => Promise<Response>;

/**
 * Reads an https URL of at most 10 MiB.
 *
 * @throws CliError - `url-unreachable`: no answer, a status other than 200, too long, or a redirect
 *   to plain http
 */
export async function fetchManifests(url: string, get: Fetch = fetch): Promise<ManifestSource> {
  try {
    const response = await get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`the host answers ${response.status}`);
    if (response.url !== '' && !response.url.startsWith('https://')) {
      throw new Error('it leads to an address without https');
    }
    return { file: url, text: await boundedText(response) };
  } catch (cause) {
    throw fail(
      {
        code: 'url-unreachable',
        what: `cannot read ${url}`,
        where: hostOf(url),
        why: whyOf(cause),
        fix: 'try again, or download it and name the file',
      },
      { cause },
    );
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('longer than 10 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  if (cause.name === 'TimeoutError') return 'no answer in 30 s';
  // The message `fetch failed` is useless; its cause has the reason.
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
