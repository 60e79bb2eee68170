@_exported public import AsperaAuth
@_exported public import AsperaTransfer
@_exported public import COSAuth
@_exported public import CloudCredentials
@_exported public import HTTPTypes
@_exported public import OSSAuth
@_exported public import StorageAuth
@_exported public import SystemPackage
