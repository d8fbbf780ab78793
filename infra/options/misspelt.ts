import { nearestWord } from '../../shared/api/nearest-word.ts';

/**
 * What is wrong with names that are nearly those of options. An option that nobody reads would be
 * missed when it is needed: a limit, for one. Other tools have names of their own in the context.
 *
 * @param given - names in the context
 * @param known - names of all options
 */
export const misspelt = (given: readonly string[], known: ReadonlySet<string>): readonly string[] =>
  given.flatMap((name) => {
    const meant = known.has(name) ? undefined : nearestWord(name, known);
    return meant === undefined ? [] : [`There is no option ${name}; ${meant} is meant, it seems.`];
  });
