import { findNearestWord } from '../../shared/model/nearest-word.ts';

/**
 * Finds names in the context that are almost the name of an option. A misspelt option would be
 * missing when it is needed (a limit, for example). Other tools have context names of their own,
 * which are left alone.
 *
 * @param given - names in the context
 * @param optionNames - names of all options
 */
export const misspelt = (given: readonly string[], optionNames: ReadonlySet<string>): readonly string[] =>
  given.flatMap((name) => {
    const meant = optionNames.has(name) ? undefined : findNearestWord(name, optionNames);
    return meant === undefined ? [] : [`There is no option ${name}; ${meant} is meant, it seems.`];
  });
