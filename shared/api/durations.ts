import { quoted, type Refusal } from './finding.ts';
import { meantDuration } from './objects/meant-duration.ts';

export const badDuration = (text: string, pattern: RegExp, grammar: string): Refusal => {
  const meant = meantDuration(text);
  return {
    code: 'bad-duration',
    what: `${quoted(text)} is no duration`,
    why: grammar,
    fix: meant !== undefined && pattern.test(meant) ? `write ${meant}` : 'write 10m, for example',
  };
};
