import type { Situation, VectorCase } from './case-schema.ts';

/** What planning does not know yet, and how a case shows that it is about that. */
export const TOPICS = {
  'NodeOverlays are not read yet': ({ options }: Situation) => options.nodeOverlay === true,
} as const satisfies Record<string, (vector: VectorCase) => boolean>;

/** Cases that are not compared with the reference, by name. */
export const OUT_OF_SCOPE: Readonly<Record<string, keyof typeof TOPICS>> = {
  'overlay-capacity': 'NodeOverlays are not read yet',
  'overlay-price': 'NodeOverlays are not read yet',
};
