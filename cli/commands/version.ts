import { wholeAnswer } from '../answer.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { BUILD_INFO, type BuildInfo } from '../build-info.ts';
import type { Run } from '../invocation.ts';
import { VERSION } from '../version.ts';

export const versionVerb = (run: Run): Verb => ({
  command: commandOf('version', 'The versions of command, stack and CRDs.')
    .addOption(outputFlag(['text', 'json', 'yaml']))
    .action((flags) => run(flags, async () => versionAnswer())),
  examples: [['mortise version', 'for a bug report']],
});

const versionAnswer = () =>
  wholeAnswer({
    kind: 'Version',
    result: { client: VERSION, ...BUILD_INFO, node: process.version },
    text: () => `client ${VERSION} (${builtFrom(BUILD_INFO)}Node.js ${process.version})\nstack  none named\n`,
  });

const builtFrom = (build: BuildInfo | undefined): string =>
  build === undefined ? '' : `commit ${build.commit} of ${build.date}, `;
