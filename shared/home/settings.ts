import type { Subnet } from '../aws/fleet-request.ts';

/** Where a cluster's API server is. */
export interface ApiServerSettings {
  readonly cluster: string;
  readonly region: string;
  readonly endpoint: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

/** Where launches go. */
export interface LaunchHomeSettings {
  readonly cluster: string;
  readonly region: string;
  readonly launchTemplateId: string;
  /** Where nodes are launched; the first of a zone is used. */
  readonly subnets: readonly Subnet[];
  readonly zones: readonly string[];
}

/** What a home has to know to reach everything that the deployed stack has. */
export interface HomeSettings extends ApiServerSettings, LaunchHomeSettings {
  readonly table: string;
  readonly bucket: string;
}
