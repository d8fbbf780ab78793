import type { ValuesOf } from '../../shared/settings/setting.ts';
import type { EVENT_SOURCES, SHARED_OPTIONS, STACK_OPTIONS } from './stack-options.ts';

/** The values of the options; `undefined` for those that are not given and have no default. */
export type OptionValues = ValuesOf<typeof STACK_OPTIONS & typeof SHARED_OPTIONS>;

/** The options of a deployment, as `cdk deploy -c <name>=<value>` or in `cdk.json`: see docs/reference/stack-options.md. */
export interface MortiseOptions extends Omit<OptionValues, 'cluster'> {
  readonly cluster: string;
  /** Account and region of the cluster, from the options or the CDK CLI. */
  readonly target: { readonly account: string; readonly region: string } | undefined;
  readonly apiServer: ApiServerFacts | undefined;
  /** The VPC of the functions. */
  readonly network: FunctionNetwork | undefined;
  /** Where the API server calls, if not the function URL of the intake. */
  readonly hook: { readonly address: string; readonly certificateAuthority?: string | undefined } | undefined;
  /** Why the event source is not the one of the options. */
  readonly eventSourceReason?: string;
  /** True to follow zonal shifts of ARC. */
  readonly followsShifts: boolean;
  /** True to read the reserved instances of the account. */
  readonly readsReservedInstances: boolean;
  /** The variables of the functions for the settings that are given. */
  readonly variables: Variables;
}

export type Variables = Readonly<Record<string, string>>;

export type EventSourceOption = (typeof EVENT_SOURCES)[number];

export interface ApiServerFacts {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
}

export interface FunctionNetwork {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** Reads a context value: text from the command line, any JSON from `cdk.json`. */
export type Context = (name: string) => unknown;
