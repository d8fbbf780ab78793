import { z } from 'zod';
import { HOUR_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { PlayActions } from '../source.ts';
import { MAX_REPLICAS } from '../views.ts';

const name = z.string().min(1).max(253);
const capacityType = z.enum(['on-demand', 'spot', 'reserved']);

const clock = z.strictObject({
  paused: z.boolean().exactOptional(),
  speed: z.union([z.number().min(0.1).max(1_000), z.literal('max')]).exactOptional(),
});

const scale = z.strictObject({
  kind: z.enum(['Deployment', 'StatefulSet', 'Job', 'DaemonSet']),
  namespace: name,
  name,
  replicas: z.int().min(0).max(MAX_REPLICAS),
});

const interrupt = z.strictObject({
  node: name,
  notice: z.enum(['spot-interruption', 'rebalance-recommendation']),
});

const shortage = z.strictObject({
  instanceType: name.exactOptional(),
  zone: name.exactOptional(),
  capacityType: capacityType.exactOptional(),
  forMs: z
    .int()
    .min(SECOND_MS)
    .max(24 * HOUR_MS),
});

const zoneLoss = z.strictObject({
  zone: name,
  forMs: z
    .int()
    .min(SECOND_MS)
    .max(24 * HOUR_MS),
});
const spotPrices = z.strictObject({ factor: z.number().min(0.1).max(10) });
const drift = z.strictObject({ pool: name });
const reset = z.strictObject({
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .exactOptional(),
});
const nothing = z.strictObject({});

type PlayOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'no-such-action' }
  | { readonly outcome: 'refused'; readonly why: string };

/**
 * Parses a request of the page and carries it out.
 *
 * @throws UnknownObjectError - it names an object that does not exist
 */
export async function play(actions: PlayActions, action: string, json: unknown): Promise<PlayOutcome> {
  switch (action) {
    case 'clock':
      return done(clock.safeParse(json), (request) => actions.clock(request));
    case 'scale':
      return done(scale.safeParse(json), (request) => actions.scale(request));
    case 'interrupt':
      return done(interrupt.safeParse(json), (request) => actions.interrupt(request));
    case 'shortage':
      return done(shortage.safeParse(json), (request) => actions.shortage(request));
    case 'demo':
      return done(nothing.safeParse(json), () => actions.continueDemo());
    case 'step':
      return done(nothing.safeParse(json), () => actions.step());
    case 'spot-prices':
      return done(spotPrices.safeParse(json), (request) => actions.multiplySpotPrices(request));
    case 'zone':
      return done(zoneLoss.safeParse(json), (request) => actions.loseZone(request));
    case 'drift':
      return done(drift.safeParse(json), (request) => actions.drift(request));
    case 'reset':
      return done(reset.safeParse(json), (request) => actions.reset(request));
    default:
      return { outcome: 'no-such-action' };
  }
}

async function done<T>(
  parsed: z.ZodSafeParseResult<T>,
  act: (request: T) => void | Promise<void>,
): Promise<PlayOutcome> {
  if (!parsed.success) return { outcome: 'refused', why: z.prettifyError(parsed.error) };
  await act(parsed.data);
  return { outcome: 'done' };
}
