import { MONITORING_LEVELS } from '../../shared/model/metrics/alarm-metrics.ts';
import {
  BUS_PROBLEM,
  DEFAULT_BUS,
  isBusName,
  KINDS_PROBLEM,
  parsePublishedKinds,
} from '../../shared/model/published-events/kinds.ts';
import { SIZES } from '../sizes.ts';
import { DEBUGGABLE_FUNCTIONS, EVENT_SOURCES, LOG_RETENTION_DAYS } from './options.ts';

/** The accepted form of an option. */
export interface OptionFormat {
  readonly isValid: (text: string) => boolean;
  /** Completes "The option … is …; it …". */
  readonly problem: string;
  /** Value of an option that is not given; undefined if there is no default. */
  readonly otherwise?: string;
}

const ids = (kind: string): RegExp => {
  const id = `${kind}-(?:[0-9a-f]{8}|[0-9a-f]{17})`;
  return new RegExp(`^${id}(?:,${id})*$`);
};
const like = (pattern: RegExp) => (text: string) => pattern.test(text);
const wholeNumber = (min: number, max: number) => (text: string) =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;

const base64: OptionFormat = {
  isValid: like(/^[0-9A-Za-z+/]+={0,2}$/),
  problem: 'must be PEM in base64',
};

const KEY_ARN = 'arn:[\\w-]+:kms:[\\w-]+:\\d{12}:key\\/[\\w-]+';
const PARAMETER = /^(?:arn:[\w-]+:ssm:[\w-]+:\d{12}:parameter\/|\/)[\w./-]*\w(?:\/?\*)?$/;

/** A name, with its path if the role has one, or an ARN. */
const ROLE = /^(?:arn:[\w-]+:iam::\d{12}:role\/)?(?:[\w+=.@-]+\/)*[\w+=.@-]{1,64}$/;

const roles: OptionFormat = {
  isValid: (text) => text.split(',').every((role) => ROLE.test(role)),
  problem:
    'must be names of IAM roles, like platform/nodes if they have a path, or ARNs, separated by commas; no wildcards',
};

/** Options that the stack reads itself; those for the functions are in `*-options.ts`. */
export const FORMATS = {
  cluster: {
    isValid: like(/^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/),
    problem: 'must be the name of an EKS cluster (letters, digits, - and _, at most 100): add -c cluster=<name>',
  },
  nodeRoles: roles,
  windowsNodeRoles: roles,
  permissionsBoundary: {
    isValid: like(/^arn:[\w-]+:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/),
    problem: 'must be the ARN of an IAM policy',
  },
  rolePath: {
    isValid: like(/^\/(?:[\w+=,.@-]+\/)*$/),
    problem: 'must be a path of IAM, like /mortise/',
  },
  snapshotRetentionDays: {
    isValid: wholeNumber(1, 3650),
    problem: 'must be a number of days from 1 to 3650',
    otherwise: '30',
  },
  redactNames: {
    isValid: (text) => text === 'true' || text === 'false',
    problem: 'must be true or false',
    otherwise: 'false',
  },
  logRetentionDays: {
    isValid: (text) => LOG_RETENTION_DAYS.some((days) => String(days) === text),
    problem: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
    otherwise: '30',
  },
  debugFunctions: {
    isValid: (text) =>
      text === 'all' || text.split(',').every((name) => DEBUGGABLE_FUNCTIONS.some((entry) => entry === name)),
    problem: `must be all, or some of ${DEBUGGABLE_FUNCTIONS.join(', ')}, separated by commas`,
  },
  size: {
    isValid: (text) => SIZES.some((size) => size === text),
    problem: `must be one of ${SIZES.join(', ')}`,
    otherwise: 'small',
  },
  monitoring: {
    isValid: (text) => MONITORING_LEVELS.some((level) => level === text),
    problem: `must be one of ${MONITORING_LEVELS.join(', ')}`,
    otherwise: 'alarms',
  },
  alarmTopicArn: {
    isValid: like(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
    problem: 'must be the ARN of an SNS topic',
  },
  eventKinds: {
    isValid: (text) => parsePublishedKinds(text) !== undefined,
    problem: KINDS_PROBLEM,
  },
  eventBus: { isValid: isBusName, problem: BUS_PROBLEM, otherwise: DEFAULT_BUS },
  intakeConcurrency: {
    isValid: (text) => text === 'none' || wholeNumber(0, 1000)(text),
    problem: 'must be a number from 0 to 1000, or none to reserve nothing',
    otherwise: '10',
  },
  serviceCidr: {
    isValid: like(/^[0-9a-f.:]+\/\d{1,3}$/),
    problem: 'must be a range of addresses, like 10.100.0.0/16 or fd30:1c53:5f8a::/108',
  },
  endpoint: {
    isValid: (text) => URL.canParse(text) && new URL(text).protocol === 'https:',
    problem: 'must be an https URL',
  },
  certificateAuthority: base64,
  functionSubnets: {
    isValid: like(ids('subnet')),
    problem: 'must be ids of subnets, separated by commas',
  },
  functionSecurityGroups: {
    isValid: like(ids('sg')),
    problem: 'must be ids of security groups, separated by commas',
  },
  kmsKeyArn: {
    isValid: like(new RegExp(`^${KEY_ARN}$`)),
    problem: 'must be the ARN of a KMS key; not of an alias',
  },
  volumeKeys: {
    isValid: like(new RegExp(`^${KEY_ARN}(?:,${KEY_ARN})*$`)),
    problem: 'must be ARNs of KMS keys, separated by commas; not of aliases',
  },
  imageParameters: {
    isValid: (text) => text.split(',').every((one) => PARAMETER.test(one)),
    problem: 'must be names of SSM parameters, like /images/al2023 or /images/*, or their ARNs, separated by commas',
  },
  learnedTable: {
    isValid: like(/^[\w.-]{3,255}$/),
    problem: 'must be the name of a DynamoDB table; not its ARN',
  },
  learnedTableKey: {
    isValid: like(new RegExp(`^${KEY_ARN}$`)),
    problem: 'must be the ARN of a KMS key; not of an alias',
  },
  eventSource: {
    isValid: (text) => EVENT_SOURCES.some((source) => source === text),
    problem: `must be one of ${EVENT_SOURCES.join(', ')}`,
    otherwise: 'auto',
  },
  hookAddress: {
    // The form that the API server requires.
    isValid: (text) => /^https:\/\/[^@?#]+$/.test(text) && URL.canParse(text),
    problem: 'must be an https URL without user, query and fragment',
  },
  hookCertificateAuthority: base64,
  hookVpcEndpoint: {
    isValid: (text) => ids('vpce').test(text) && !text.includes(','),
    problem: 'must be the id of an interface endpoint, like vpce-0a1b2c3d4e5f60718',
  },
} as const satisfies Record<string, OptionFormat>;

export type OptionName = keyof typeof FORMATS;
