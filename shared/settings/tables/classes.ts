import { list, TRUE_OR_FALSE } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

const KEY_ARN = /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/;
const PARAMETER = /^(?:arn:[\w-]+:ssm:[\w-]+:\d{12}:parameter\/|\/)[\w./-]*\w(?:\/?\*)?$/;

/** How EC2NodeClasses are resolved. */
export const CLASSES = {
  isIsolated: {
    variable: 'ISOLATED_VPC',
    option: 'isolatedVpc',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: 'false',
    meaning:
      '`true`: Mortise does not call IAM, and `mortise controller` without a stack does not call the price list. EC2NodeClasses must set `spec.instanceProfile`.',
  },
  isDryRunOff: {
    variable: 'DISABLE_DRY_RUN',
    option: 'disableDryRun',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: 'false',
    meaning: '`true`: an EC2NodeClass becomes Ready without a dry run of its launch.',
  },
  followsShifts: {
    variable: 'ENABLE_ZONAL_SHIFT',
    option: 'enableZonalShift',
    controller: 'variable',
    form: TRUE_OR_FALSE,
    usual: 'false',
    meaning:
      '`true`: in a zone that ARC shifts the cluster away from, Mortise launches and disrupts nothing. The cluster must be registered with ARC.',
  },
  volumeKeys: {
    variable: 'VOLUME_KEYS',
    option: 'volumeKeys',
    controller: 'variable',
    form: list(
      'ARNs of KMS keys, separated by commas',
      KEY_ARN,
      'ARNs of KMS keys, separated by commas; not of aliases',
    ),
    usual: '',
    byDefault: 'none',
    meaning:
      'The keys with which volumes of nodes are encrypted: those of `kmsKeyID` in EC2NodeClasses, and the default key of EBS in the account if it is your own. The key policies must allow it as well: see [encrypted volumes](../guides/encrypted-volumes.md). The controller uses what its role allows: `--print-setup iam` prints the rights.',
  },
  imageParameters: {
    variable: 'IMAGE_PARAMETERS',
    option: 'imageParameters',
    controller: 'variable',
    form: list(
      'names or ARNs of SSM parameters, separated by commas',
      PARAMETER,
      'names of SSM parameters, like /images/al2023 or /images/*, or their ARNs, separated by commas',
    ),
    usual: '',
    byDefault: 'none',
    meaning:
      'Parameters of your own that EC2NodeClasses may name as `ssmParameter`: names such as `/images/al2023` or `/images/*`, or ARNs of parameters that another account shares. Public parameters (`/aws/service/…`) may be named in any case. The controller reads what its role allows: `--print-setup iam` prints the rights.',
  },
} as const satisfies SettingTable;
