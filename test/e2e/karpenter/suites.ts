/** A Go module with suites of Karpenter. */
interface SuiteModule {
  readonly path: string;
  /** Pinned, because the specs change with each release. */
  readonly version: string;
  /** `old@version=new@version`: dependencies of which the module proxy withholds the required version. */
  readonly replacements: readonly string[];
}

const AWS_SDK = 'github.com/aws/aws-sdk-go-v2/service';

export const MODULES = {
  core: { path: 'sigs.k8s.io/karpenter', version: 'v1.15.0', replacements: [] },
  aws: {
    path: 'github.com/aws/karpenter-provider-aws',
    version: 'v1.15.0',
    // No spec that the lab runs calls these two services.
    replacements: [
      `${AWS_SDK}/timestreamwrite@v1.43.1=${AWS_SDK}/timestreamwrite@v1.43.0`,
      `${AWS_SDK}/fis@v1.46.1=${AWS_SDK}/fis@v1.42.1`,
    ],
  },
} as const satisfies Readonly<Record<string, SuiteModule>>;

export type ModuleName = keyof typeof MODULES;

export interface Suite {
  readonly module: ModuleName;
  /** The Go package, below `test/suites` of its module. */
  readonly package: string;
  /** Restricts the suite to specs whose full name matches. */
  readonly focus?: RegExp;
}

/** Suites by the name that `--suite` takes. */
export const SUITES: Readonly<Record<string, Suite>> = {
  regression: { module: 'core', package: 'regression' },
  expiration: { module: 'core', package: 'disruption', focus: /^Expiration / },
  termination: { module: 'core', package: 'disruption', focus: /^Termination / },
  nodeclaim: { module: 'aws', package: 'nodeclaim' },
  disruption: { module: 'core', package: 'disruption' },
  dra: { module: 'core', package: 'dra' },
  performance: { module: 'core', package: 'performance' },
  'scheduling-strict': { module: 'aws', package: 'scheduling-strict' },
  'scheduling-besteffort': { module: 'aws', package: 'scheduling-besteffort' },
  repair: { module: 'aws', package: 'repair' },
  legacyrepair: { module: 'aws', package: 'legacyrepair' },
  consolidation: { module: 'aws', package: 'consolidation' },
  drift: { module: 'aws', package: 'drift' },
  interruption: { module: 'aws', package: 'interruption' },
  integration: { module: 'aws', package: 'integration' },
};

/** Run without `--suite`. */
export const DEFAULT_SUITE = 'regression';
