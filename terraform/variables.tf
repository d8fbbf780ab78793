variable "folder" {
  description = "The folder that `mortise template` wrote."
  type        = string

  validation {
    condition     = fileexists("${var.folder}/template.json")
    error_message = "There is no template.json in the folder: run `mortise template --cluster NAME --out FOLDER`."
  }
}

variable "stack_name" {
  description = "The name of the CloudFormation stack. The command finds the stack of a cluster by the name Mortise-<cluster>."
  type        = string

  validation {
    condition     = startswith(var.stack_name, "Mortise-")
    error_message = "The name must be Mortise-<cluster>: the command and the functions look the stack up by it."
  }
}

variable "bucket" {
  description = "An S3 bucket in the region of the cluster, for the template and the code of the functions."
  type        = string
}

variable "prefix" {
  description = "What the keys in the bucket begin with: empty, or ending with a slash."
  type        = string
  default     = "mortise/"

  validation {
    condition     = var.prefix == "" || endswith(var.prefix, "/")
    error_message = "The prefix must be empty or end with a slash."
  }
}

variable "iam_role_arn" {
  description = "The role that CloudFormation assumes. By default it uses the caller's rights."
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of the stack and of all its resources."
  type        = map(string)
  default     = {}
}
