import { nearestWord } from '../../shared/api/nearest-word.ts';

/**
 * Finds names in the context that are almost the name of an option. A misspelt option would be
 * missing when it is needed (a limit, for example). Other tools have context names of their own,
 * which are left alone.
 *
 * @param given - names in the context
 * @param known - names of all options
 */
export const misspelt = (given: readonly string[], known: ReadonlySet<string>): readonly string[] =>
  given.flatMap((name) => {
    const meant = known.has(name) ? undefined : nearestWord(name, known);
    return meant === undefined ? [] : [`There is no option ${name}; ${meant} is meant, it seems.`];
  });
