import { emitterOf, REASONS, type ReasonCode } from '../../shared/model/explanations/reasons.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { noSuchName } from '../arguments/usage-errors.ts';
import type { Run } from '../invocation.ts';
import type { ReasonGuide } from '../reasons/guide.ts';
import type { tableText as TableText } from '../render/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const reasonsVerb = (run: Run): Verb => ({
  command: commandOf('reasons', 'Every reason that Mortise gives, with its sentence.')
    .argument('[code]')
    .addOption(outputFlag())
    .action((code, flags) => run(flags, () => reasonsAnswer(code))),
  examples: [
    ['mortise reasons', 'all of them'],
    ['mortise reasons too-large', 'what it means, its causes, and what helps'],
  ],
});

async function reasonsAnswer(code: string | undefined): Promise<Answer> {
  const { tableText } = await import('../render/table.ts');
  const { REASON_GUIDES } = await import('../reasons/reason-guide.ts');
  const reasons = codes()
    .filter((reasonCodes) => code === undefined || reasonCodes === code)
    .map((reasonCode) => documentOf(reasonCode, REASON_GUIDES[reasonCode]));
  if (code !== undefined && reasons.length === 0) {
    throw noSuchName('reason', code, 'mortise reasons', codes(), 'mortise reasons lists all');
  }
  return wholeAnswer({
    kind: 'Reasons',
    result: { reasons },
    names: reasons.map((reason) => `reason/${reason.code}`),
    text: (terminal) =>
      code === undefined
        ? overviewText(tableText, reasons, terminal)
        : reasons.map((reason) => guideText(reason)).join(''),
  });
}

const overviewText = (tableText: typeof TableText, reasons: readonly ReasonDocument[], terminal: Terminal): string =>
  tableText(
    ['CODE', 'FROM', 'SENTENCE'],
    reasons.map((reason) => [reason.code, reason.emitter, reason.sentence]),
    terminal,
  );

/** Formats one reason: its sentence, what it means, and what to do. */
const guideText = ({ code, emitter, sentence, meaning, causes, fixes }: ReasonDocument): string =>
  [
    `${code} (${emitter})`,
    `  sentence  ${sentence}`,
    `  meaning   ${meaning}`,
    ...causes.map((cause, index) => `  ${index === 0 ? 'causes' : '      '}    ${cause}`),
    ...fixes.map((fix, index) => `  ${index === 0 ? 'fixes' : '     '}     ${fix}`),
    '',
  ].join('\n');

const codes = (): ReasonCode[] => Object.keys(REASONS).filter((code) => isReasonCode(code));

const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code);

type ReasonDocument = ReturnType<typeof documentOf>;

function documentOf(code: ReasonCode, guide: ReasonGuide) {
  const sentence = REASONS[code][1];
  return {
    code,
    emitter: emitterOf({ code, fields: {} }),
    sentence,
    fields: [...sentence.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? ''),
    ...guide,
  };
}
