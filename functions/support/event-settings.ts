import * as z from 'zod/mini';
import type { EventSettings } from '../../shared/composition/published-events.ts';
import { DEFAULT_BUS, isBusName, parsePublishedKinds } from '../../shared/model/published-events/kinds.ts';
import { type Environment, parseSettings } from './settings.ts';

const schema = z.object({
  EVENT_KINDS: z.optional(z.string().check(z.refine((text) => parsePublishedKinds(text) !== undefined))),
  EVENT_BUS: z.optional(z.string().check(z.refine(isBusName))),
});

/** @throws SettingsError - names every variable that is wrong */
export function readEventSettings(environment: Environment): EventSettings {
  const { EVENT_KINDS: kinds, EVENT_BUS: bus = DEFAULT_BUS } = parseSettings(schema, environment);
  return { kinds: (kinds !== undefined && parsePublishedKinds(kinds)) || [], bus };
}
