import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';

/** The worker's input: the defect, and the seeds to try. */
const input = z
  .object({
    url: z.string(),
    find: z.string(),
    replace: z.string(),
    violates: z.array(z.string()),
    firstSeed: z.int(),
    seeds: z.int(),
  })
  .parse(workerData);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== input.url) return loaded;
    const source = toText(loaded.source);
    const [before = '', after, more] = source.split(input.find);
    if (after === undefined || more !== undefined) throw new Error(`${url} must contain exactly one ${input.find}`);
    return { ...loaded, source: before + input.replace + after };
  },
});

const toText = (source: unknown): string =>
  source instanceof Uint8Array ? Buffer.from(source).toString() : String(source);

// After the hooks, so that they see all modules.
const { generateHistory } = await import('../model/generate-history.ts');
const { runHistory } = await import('../run-history.ts');

parentPort?.postMessage(await findFirst());

/** The first seed whose history shows the defect; undefined if none does. */
async function findFirst(): Promise<number | undefined> {
  const { firstSeed, seeds } = input;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const { violations } = await runHistory(generateHistory(seed));
    if (violations.some(({ invariant }) => input.violates.includes(invariant))) return seed;
  }
  return undefined;
}
