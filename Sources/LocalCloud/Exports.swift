@_exported public import HTTPServing
