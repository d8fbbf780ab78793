output "stack_id" {
  description = "The ARN of the CloudFormation stack."
  value       = aws_cloudformation_stack.mortise.id
}

output "outputs" {
  description = "The outputs of the stack by name, such as NodeRoleName for spec.role of EC2NodeClasses."
  value       = aws_cloudformation_stack.mortise.outputs
}
