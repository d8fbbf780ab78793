import type { EpochMs } from '../model/time.ts';
import type { Nominations } from '../ports/nominations.ts';

export function simNominations(): Nominations {
  const until = new Map<string, EpochMs>();

  return {
    async list(now) {
      for (const [name, end] of until) if (end <= now) until.delete(name);
      return Object.fromEntries(until);
    },
    async nominate(names, end) {
      for (const name of names) until.set(name, Math.max(end, until.get(name) ?? end));
    },
  };
}
