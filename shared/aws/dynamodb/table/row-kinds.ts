/**
 * One table holds the records of a cluster, one kind next to the other:
 *
 * | Kind | `sk` | Written | Read | Expires |
 * | --- | --- | --- | --- | --- |
 * | NodeClaim | `NodeClaim#<name>` | if nobody wrote it since it was read | one by name; all that are not terminated | a week after its end |
 * | EndedNodeClaim | `EndedNodeClaim#<name>#<version>` | before the claim's own row says that it is over | one by name | two weeks after its end |
 * | Command | `Command#<id>` | once | all | – |
 * | Nomination | `Nomination#<end>#<hash of nodes and claims>` | always | all that last | a day after its end |
 * | UnavailableOffering | `UnavailableOffering#<type>#<zone>#<capacity type>`, `*` for any | if nobody marked it since it was read | one by name; all that last | when it is as if it had never been |
 * | LearnedSize | `LearnedSize#<image>#<type>#<setup>` | if nobody learned since it was read | one by name; all that last | 60 days after the last node |
 * | NodeClass | `NodeClass#<name>` | unless one that was resolved later is there | one by name; all | – |
 * | LaunchTemplate | `LaunchTemplate#<name>` | unless a use that lasts longer is there | one by name; all that last | a day after its end |
 * | CallBudget | `CallBudget#changes` | if nobody wrote it since it was read | that one | – |
 * | Taken | `Taken#<end>#<launch>` | always | all that last | a day after EC2's own counts have it |
 * | Launch | `Launch#<id>` | if nobody wrote it since it was read | one by id; all | taken away an hour after its end |
 * | Lease | `Lease#<role>` | if it is free, or its holder's | one by role | – |
 * | Commit | `Commit#latest` | if it is the next one, and of the latest lease | that one | – |
 * | WakeUp | `WakeUp#<claim>` | if it is the next generation | one by claim | a week after it was due |
 * | PoolBackoff, DriftBackoff | `PoolBackoff#<pool>`, … | always | all | a day after its end |
 * | StoppedRollout | `StoppedRollout#<class>` | always | all | after 90 days |
 * | Identity | `Identity#cluster` | once | that one | – |
 * | Sweep | `Sweep#notes` | by who has the sweep's lease | that one | – |
 * | CommitPart | `CommitPart#<commit>#<number>` | before its commit | those of a large commit that is open | a day after |
 * | Installation | `Installation#cluster` | by who sets the cluster up | that one | – |
 * | ZonalShift | `ZonalShift#cluster` | if nobody wrote it since it was read | that one | – |
 * | Poll | `Poll#loop` | if its turn is still the one that was read | that one | – |
 *
 * `pk` is `Cluster#<cluster>`, or `Shared#learned` where clusters share what they learn: one query over a prefix of `sk` lists a kind, and no index is needed.
 * Every read is consistent. `expiresAt`, in seconds, is the table's TTL attribute; DynamoDB takes
 * rows away days later than that, so who reads compares the time as well.
 */
export type RowKind =
  | 'NodeClaim'
  | 'EndedNodeClaim'
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
  | 'Identity'
  | 'PoolBackoff'
  | 'DriftBackoff'
  | 'StoppedRollout'
  | 'WakeUp'
  | 'Installation'
  | 'ZonalShift'
  | 'Poll';
