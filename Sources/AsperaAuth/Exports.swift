@_exported public import struct StorageJSON.JSONError
@_exported public import struct StorageJSON.JSONNumber
@_exported public import struct StorageJSON.JSONObject
@_exported public import enum StorageJSON.JSONValue
