import { DESCRIPTIONS } from '../infra/options/descriptions.ts';
import { FORMATS, type OptionFormat } from '../infra/options/formats.ts';
import { TIMING_OPTIONS } from '../infra/options/timing-options.ts';
import { SETTINGS } from '../shared/api/keys/settings.ts';
import { paragraphs, table } from '../shared/api/reference/page.ts';

const TARGET = [
  ['`account`', '12 digits', 'those of the credentials', 'The account of the cluster. It goes with `region`.'],
  ['`region`', 'like `eu-west-1`', 'those of the credentials', 'The region of the cluster. It goes with `account`.'],
] as const;

const formats: Readonly<Record<string, Pick<OptionFormat, 'problem'>>> = {
  ...FORMATS,
  ...TIMING_OPTIONS,
};

/** Renders the options of the stack as Markdown. */
export const buildStackOptionsPage = (): string =>
  paragraphs([
    '# Options of the stack',
    'Set an option with `cdk deploy -c <option>=<value>`, with `mortise deploy --set <option>=<value>`, or in `context` of `cdk.json`. The properties of the CDK construct `Mortise` have the same meaning. If a value or a name is wrong, synthesis fails, lists all problems and deploys nothing.',
    '<!-- Made by `npm run generate` from infra/options. -->',
    table(
      ['Option', 'Valid', 'Default', 'Meaning'],
      [
        ...Object.entries(DESCRIPTIONS).map(([name, { byDefault, meaning }]) => [
          `\`${name}\``,
          toValid(formats[name]?.problem ?? ''),
          byDefault,
          meaning,
        ]),
        ...TARGET,
      ],
    ),
    '## Decisions and limits',
    'These options are settings of `mortise controller` as well. [Settings](settings.md) gives their values, defaults and meaning.',
    table(['Option', 'Setting'], commonOptions()),
  ]);

/** `must be a number of days; not 0` becomes `a number of days; not 0`. */
const toValid = (problem: string): string => problem.replace(/^must be /, '').replace(/: add -c .*$/, '');

const commonOptions = (): readonly (readonly string[])[] =>
  SETTINGS.flatMap(({ name, option }) =>
    option === undefined || Object.hasOwn(DESCRIPTIONS, option) ? [] : [[`\`${option}\``, `\`${name}\``]],
  );
