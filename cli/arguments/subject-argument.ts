import { fail } from '../errors.ts';

interface SubjectWords {
  readonly verb: string;
  /** Kinds that are accepted, the usual one first. */
  readonly kinds: readonly string[];
  /** The errors for a missing name, and for another kind. */
  readonly unnamed: string;
  readonly refused: string;
}

/** Reads the name from `KIND NAME` or `KIND/NAME`. */
export function parseSubject(
  kind: string,
  name: string | undefined,
  { verb, kinds, unnamed, refused }: SubjectWords,
): string {
  const [head = '', tail] = kind.split('/');
  const named = name ?? tail;
  const isKnown = kinds.includes(head);
  if (isKnown && named !== undefined && (name === undefined || tail === undefined)) return named;
  throw fail({
    code: 'bad-value',
    what: isKnown ? unnamed : `"${head}" ${refused}`,
    where: verb,
    fix: `mortise ${verb} ${kinds[0]} NAME`,
  });
}
