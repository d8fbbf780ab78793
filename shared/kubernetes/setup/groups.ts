/** Groups that EKS access entries put our functions in; RBAC says below what they may do. */
export const CONTROLLER_GROUP = 'mortise:controller';
export const READER_GROUP = 'mortise:reader';
