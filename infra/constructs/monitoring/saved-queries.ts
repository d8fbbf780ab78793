import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

export interface SavedQueriesProps {
  readonly cluster: string;
  /** All functions: several of them log about one node. */
  readonly logGroups: readonly ILogGroup[];
}

/** Placeholder that users replace with a name. */
const NAME = 'default-x7k2p';

const EVENT_FIELDS = ['@timestamp', 'event.kind', 'event.claim', '@message'];

/** Queries for the on-call engineer, by the name that Logs Insights lists. */
const QUERIES = {
  'History of one NodeClaim': new QueryString({
    fields: EVENT_FIELDS,
    filterStatements: [`@message like /"${NAME}"/`, 'ispresent(event.kind)'],
    sort: '@timestamp asc',
  }),
  'Why was this node removed': new QueryString({
    fields: EVENT_FIELDS,
    filterStatements: [
      `@message like /"${NAME}"/`,
      'event.kind in ["remove", "remove-empty", "replace", "expired", "interruption", "rebalance", "not-registered", "terminated"]',
    ],
    sort: '@timestamp asc',
  }),
  'Decisions about one pod': new QueryString({
    fields: EVENT_FIELDS,
    filterStatements: ['@message like /"team-a\\/web-5c9f/', 'ispresent(event.kind)'],
    sort: '@timestamp asc',
  }),
  'Pods without a place, and why': new QueryString({
    fields: ['@timestamp', 'event.text', 'event.pods.0'],
    filterStatements: ['event.kind = "unplaced"'],
    sort: '@timestamp desc',
  }),
  'Offerings without capacity': new QueryString({
    filterStatements: ['event.kind = "unavailable"'],
    statsStatements: [
      'count(*) as times by event.offerings.0.instanceType, event.offerings.0.zone, event.offerings.0.capacityType',
    ],
    sort: 'times desc',
  }),
  'Slowest invocations': new QueryString({
    fields: ['@timestamp', '@log', '@duration', '@maxMemoryUsed'],
    filterStatements: ['@type = "REPORT"'],
    sort: '@duration desc',
    limit: 50,
  }),
  'Errors and warnings': new QueryString({
    fields: ['@timestamp', 'service', 'message', 'error.name', 'error.message'],
    filterStatements: ['level in ["ERROR", "WARN"]'],
    sort: '@timestamp desc',
  }),
} satisfies Readonly<Record<string, QueryString>>;

export type SavedQuery = keyof typeof QUERIES;

/** The name under which Logs Insights lists the query. */
export const savedQueryName = (cluster: string, query: SavedQuery): string => `Mortise/${cluster}/${query}`;

/** Saved Logs Insights queries under `Mortise/<cluster>`. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { cluster, logGroups }: SavedQueriesProps) {
    super(scope, id);
    for (const name of Object.keys(QUERIES) as SavedQuery[]) {
      new QueryDefinition(this, name.replaceAll(/\W/g, ''), {
        queryDefinitionName: savedQueryName(cluster, name),
        queryString: QUERIES[name],
        logGroups: [...logGroups],
      });
    }
  }
}
