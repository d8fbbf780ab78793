data "aws_s3_bucket" "code" {
  bucket = var.bucket
}

locals {
  template_file = "${var.folder}/template.json"
  archives      = fileset("${var.folder}/code", "*.zip")
}

# The name of an archive is the hash of its contents, so no object is ever changed.
resource "aws_s3_object" "archive" {
  for_each = local.archives

  bucket = data.aws_s3_bucket.code.id
  key    = "${var.prefix}${each.value}"
  source = "${var.folder}/code/${each.value}"

  lifecycle {
    # CloudFormation needs the former code until an update is complete: it may roll back.
    create_before_destroy = true
  }
}

resource "aws_s3_object" "template" {
  bucket = data.aws_s3_bucket.code.id
  key    = "${var.prefix}${filesha256(local.template_file)}.json"
  source = local.template_file

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_cloudformation_stack" "mortise" {
  name         = var.stack_name
  template_url = "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_NAMED_IAM"]
  iam_role_arn = var.iam_role_arn
  tags         = var.tags

  parameters = {
    CodeBucket = data.aws_s3_bucket.code.id
    CodePrefix = var.prefix
  }

  depends_on = [aws_s3_object.archive]

  timeouts {
    create = "30m"
    update = "30m"
    delete = "30m"
  }
}
