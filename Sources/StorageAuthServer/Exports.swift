@_exported public import HTTPServing
@_exported public import HTTPTypes
@_exported public import StorageAuth
