import { text } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

export const BASE64_PEM = text('PEM in base64', /^[0-9A-Za-z+/]+={0,2}$/);

/** The cluster, and the way to its API server. */
export const CLUSTER = {
  cluster: {
    variable: 'CLUSTER_NAME',
    option: 'cluster',
    controller: '--cluster',
    form: text(
      'the name of an EKS cluster (letters, digits, - and _, at most 100)',
      /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/,
      'the name of an EKS cluster (letters, digits, - and _, at most 100): add -c cluster=<name>',
    ),
    isRequired: true,
    byDefault: 'none, required',
    meaning: 'The name of the EKS cluster. One stack serves one cluster.',
  },
  endpoint: {
    variable: 'CLUSTER_ENDPOINT',
    option: 'endpoint',
    form: text('an https URL', (url) => URL.canParse(url) && new URL(url).protocol === 'https:'),
    byDefault: 'read from EKS at deployment',
    meaning: 'The address of the API server. It goes with `certificateAuthority`.',
  },
  certificateAuthority: {
    variable: 'CLUSTER_CA_BUNDLE',
    option: 'certificateAuthority',
    form: BASE64_PEM,
    byDefault: 'read from EKS at deployment',
    meaning:
      'The certificate authority of the API server. It goes with `endpoint`. If it changes, Mortise takes the cluster for another one and does nothing until an operator confirms it.',
  },
} as const satisfies SettingTable;
