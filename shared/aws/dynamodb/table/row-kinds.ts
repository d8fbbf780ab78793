/**
 * One table holds all records of a cluster. The kinds of rows:
 *
 * | Kind | `sk` | Written | Read | Expires |
 * | --- | --- | --- | --- | --- |
 * | Claim | `Claim#<name>` | if unchanged since it was read | one by name; all | an hour after its end |
 * | EndedClaim | `EndedClaim#<name>` | before the claim's own row shows its end | one by name | two weeks after its end |
 * | ClaimContent | `ClaimContent#<hash>` | before the first row that names it | those of the listed claims | a year after it was last renewed |
 * | ClaimLookup | `ClaimLookup#<instance id>`, `ClaimLookup#node/<node>` | before the claim that it names | one by id or node | deleted with the claim |
 * | Command | `Command#<id>` | once | all | – |
 * | Nomination | `Nomination#<end>#<hash of nodes and claims>` | always | all unexpired | a day after its end |
 * | UnavailableOffering | `UnavailableOffering#<type>#<zone>#<capacity type>[#<placement group or reservation>]`, `*` for any | if unchanged since it was read | one by name; all unexpired | when its backoff is forgotten |
 * | LearnedSize | `LearnedSize#<image>#<type>#<setup>` | if unchanged since it was read | one by name; all unexpired | 60 days after the last node |
 * | NodeClass | `NodeClass#<name>` | unless a later resolution is stored | one by name; all | – |
 * | LaunchTemplate | `LaunchTemplate#<name>` | unless a later expiry is stored | one by name; all unexpired | a day after its end |
 * | CallBudget | `CallBudget#changes` | if unchanged since it was read | that one | – |
 * | Taken | `Taken#<end>#<launch>` | always | all unexpired | a day after EC2's own counts have it |
 * | Launch | `Launch#<id>` | if unchanged since it was read | one by id; all | deleted an hour after its end |
 * | Lease | `Lease#<role>` | if it is free, or its holder's | one by role | – |
 * | Commit | `Commit#latest` | if it is the next one, and of the latest lease | that one | – |
 * | WakeUp | `WakeUp#<claim>` | if it is the next generation | one by claim | a week after it was due |
 * | PoolBackoff, DriftBackoff | `PoolBackoff#<pool>`, … | always | all | a day after its end |
 * | RegistrationHealth | `RegistrationHealth#<pool>` | if unchanged since it was read | one by name; all | after 90 days |
 * | LaunchBackoff | `LaunchBackoff#<pool>` | always | all | a day after its end |
 * | PlacementBackoff | `PlacementBackoff#<pool>#<owner's uid>` | always | all | a day after its end |
 * | StoppedRollout | `StoppedRollout#<class>` | always | all | after 90 days |
 * | Identity | `Identity#cluster` | once | that one | – |
 * | RecordSalt | `RecordSalt#cluster` | once | that one | – |
 * | Sighting | `Sighting#cluster` | always | that one | – |
 * | Sweep | `Sweep#notes` | by the holder of the sweep lease | that one | – |
 * | Planning | `Planning#provisioning`, `Planning#disruption` | if unchanged since it was read | that one | – |
 * | CommitPart | `CommitPart#<commit>#<number>` | before its commit | those of a large commit that is open | a day after |
 * | Installation | `Installation#cluster` | by the setup function | that one | – |
 * | ZonalShift | `ZonalShift#cluster` | if unchanged since it was read | that one | – |
 * | Poll | `Poll#loop` | if its turn has not changed since it was read | that one | – |
 *
 * `pk` is `Cluster#<cluster>`, or `Shared#learned` for rows that clusters share. A query over a prefix of `sk` lists a kind, so no index is needed.
 * Claims are spread over partitions (`partitions.ts`).
 * Every read is consistent, unless the caller asks for the cheaper one. `expiresAt`, in seconds, is the table's TTL attribute. DynamoDB
 * deletes rows up to days later, so readers compare the time as well.
 */
export type RowKind =
  | 'Claim'
  | 'EndedClaim'
  | 'ClaimContent'
  | 'ClaimLookup'
  | 'Command'
  | 'Nomination'
  | 'UnavailableOffering'
  | 'LearnedSize'
  | 'NodeClass'
  | 'LaunchTemplate'
  | 'Taken'
  | 'CallBudget'
  | 'Launch'
  | 'Lease'
  | 'Commit'
  | 'CommitPart'
  | 'Sweep'
  | 'Planning'
  | 'Sighting'
  | 'Identity'
  | 'RecordSalt'
  | 'PoolBackoff'
  | 'RegistrationHealth'
  | 'LaunchBackoff'
  | 'PlacementBackoff'
  | 'DriftBackoff'
  | 'StoppedRollout'
  | 'WakeUp'
  | 'Installation'
  | 'ZonalShift'
  | 'Poll';

/**
 * Kinds whose rows only save time or money. A row that cannot be read counts as missing: EC2 refuses a
 * launch again, a plan is less exact, or a retry comes earlier.
 *
 * A row of any other kind that cannot be read is never taken for missing, because a decision without
 * it could buy capacity twice or end a node that is in use. Claim, Launch and Command rows are
 * listed apart (`RecordList`), and their objects are set aside; without a Commit or Nomination row
 * some decisions wait (`observe-cluster.ts`). Rows of the remaining kinds fail their reader.
 */
export const ADVISORY_KINDS: ReadonlySet<RowKind> = new Set([
  'UnavailableOffering',
  'LearnedSize',
  'Taken',
  'PoolBackoff',
  'LaunchBackoff',
  'PlacementBackoff',
  'DriftBackoff',
  'WakeUp',
  'Planning',
  'ClaimLookup',
]);
