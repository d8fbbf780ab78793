import { STACK_OPTIONS } from '../infra/options/stack-options.ts';
import { describeDefault, SETTINGS } from '../shared/settings/all-settings.ts';
import type { StackOption } from '../shared/settings/setting.ts';
import { paragraphs, table } from './reference/page.ts';

const TARGET = [
  ['`account`', '12 digits', 'those of the credentials', 'The account of the cluster. It goes with `region`.'],
  ['`region`', 'like `eu-west-1`', 'those of the credentials', 'The region of the cluster. It goes with `account`.'],
] as const;

/** Options that only the stack has. */
function listStackOptions(): readonly (readonly [string, StackOption])[] {
  const own: readonly (readonly [string, StackOption])[] = Object.entries(STACK_OPTIONS);
  const ofFunctions = SETTINGS.flatMap((setting) =>
    setting.option !== undefined && setting.controller === undefined && !Object.hasOwn(STACK_OPTIONS, setting.option)
      ? [[setting.option, setting] as const]
      : [],
  );
  return [...own, ...ofFunctions];
}

/** Renders the options of the stack as Markdown. */
export const buildStackOptionsPage = (): string =>
  paragraphs([
    '# Options of the stack',
    'Set an option with `cdk deploy -c <option>=<value>`, with `mortise deploy --set <option>=<value>`, or in `context` of `cdk.json`. The properties of the CDK construct `Mortise` have the same meaning. If a value or a name is wrong, synthesis fails, lists all problems and deploys nothing.',
    '<!-- Made by `npm run generate` from infra/options and shared/settings. -->',
    table(
      ['Option', 'Valid', 'Default', 'Meaning'],
      [
        ...listStackOptions().map(([name, option]) => [
          `\`${name}\``,
          option.form.valid,
          describeDefault(option),
          option.meaning,
        ]),
        ...TARGET,
      ],
    ),
    '## Decisions and limits',
    'These options are settings of `mortise controller` as well. [Settings](settings.md) gives their values, defaults and meaning.',
    table(
      ['Option', 'Setting'],
      SETTINGS.flatMap(({ variable, option, controller }) =>
        option === undefined || controller === undefined ? [] : [[`\`${option}\``, `\`${variable}\``]],
      ),
    ),
  ]);
