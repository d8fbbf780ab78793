import * as z from 'zod';

/** A spec as Ginkgo reports it. */
export interface SpecReport {
  /** The texts of all containers and of the spec, as Ginkgo joins them for `--ginkgo.focus`. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** The failed assertion, or the reason that the spec gives for skipping itself. */
  readonly message?: string;
}

export interface SuiteReport {
  readonly description: string;
  readonly specs: readonly SpecReport[];
}

const failureSchema = z.object({
  Message: z.string(),
  /** The kind of node that failed, such as `It`, `BeforeEach` or `AfterAll`. */
  FailureNodeType: z.string().optional(),
  Location: z.object({ FileName: z.string(), LineNumber: z.number() }).optional(),
});

const reportSchema = z.tuple([
  z.object({
    SuiteDescription: z.string(),
    SpecReports: z
      .array(
        z.object({
          ContainerHierarchyTexts: z.array(z.string()).nullish(),
          LeafNodeType: z.string(),
          LeafNodeText: z.string(),
          State: z.string(),
          RunTime: z.number(),
          Failure: failureSchema.nullish(),
        }),
      )
      .nullish(),
  }),
]);

/**
 * Reads the file that `--ginkgo.json-report` writes. A check after all specs of a container fails
 * when one spec runs alone; it does not count as a failure of that spec.
 *
 * @throws ZodError - not a report with one suite
 * @see onsi/ginkgo, types.Report
 */
export function parseReport(json: string): SuiteReport {
  const [suite] = reportSchema.parse(JSON.parse(json));
  return {
    description: suite.SuiteDescription,
    specs: (suite.SpecReports ?? [])
      .filter(({ LeafNodeType }) => LeafNodeType === 'It')
      .map((spec): SpecReport => {
        const isOwn = spec.Failure?.FailureNodeType !== 'AfterAll';
        const message = isOwn ? describeFailure(spec.Failure ?? undefined) : '';
        return {
          name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
          state: isOwn ? toState(spec.State) : 'passed',
          // Nanoseconds.
          seconds: Math.round(spec.RunTime / 1e9),
          ...(message !== '' && { message }),
        };
      }),
  };
}

/** A spec that panicked, was interrupted or ran out of time has failed. */
const toState = (state: string): SpecReport['state'] => {
  if (state === 'passed') return 'passed';
  return state === 'skipped' || state === 'pending' ? 'skipped' : 'failed';
};

function describeFailure(failure: z.output<typeof failureSchema> | undefined): string {
  if (!failure) return '';
  const { Message, Location } = failure;
  const file = Location?.FileName.split('/').at(-1) ?? '';
  const text = Message.trim().replace(/\s+/g, ' ').slice(0, 300);
  return file === '' ? text : `${text} (${file}:${Location?.LineNumber})`;
}
