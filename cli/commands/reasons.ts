import { emitterOf, REASONS, type ReasonCode } from '../../shared/model/explanations/reasons.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

export const reasonsVerb = (run: Run): Verb => ({
  command: commandOf('reasons', 'Every reason that Mortise gives, with its sentence.')
    .argument('[code]')
    .addOption(outputFlag(['text', 'json', 'yaml', 'name']))
    .action((code, flags) => run(flags, () => reasonsAnswer(code))),
  examples: [
    ['mortise reasons', 'all of them'],
    ['mortise reasons too-large', 'one'],
  ],
});

async function reasonsAnswer(code: string | undefined): Promise<Answer> {
  const { tableText } = await import('../render/table.ts');
  const reasons = codes()
    .filter((reasonCodes) => code === undefined || reasonCodes === code)
    .map(documentOf);
  if (code !== undefined && reasons.length === 0) throw unknownReason(code);
  return wholeAnswer({
    kind: 'Reasons',
    result: { reasons },
    names: reasons.map((reason) => `reason/${reason.code}`),
    text: (terminal) =>
      tableText(
        ['CODE', 'FROM', 'SENTENCE'],
        reasons.map((reason) => [reason.code, reason.emitter, reason.sentence]),
        terminal,
      ),
  });
}

const codes = (): ReasonCode[] => Object.keys(REASONS).filter((code) => isReasonCode(code));

const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code);

function documentOf(code: ReasonCode) {
  const sentence = REASONS[code][1];
  return {
    code,
    emitter: emitterOf({ code, fields: {} }),
    sentence,
    fields: [...sentence.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? ''),
  };
}

function unknownReason(code: string) {
  const similar = didYouMean(code, codes());
  return fail({
    code: 'not-found',
    what: `no reason ${code}`,
    where: 'mortise reasons',
    fix: similar === undefined ? 'mortise reasons lists all' : `did you mean ${similar}`,
  });
}
