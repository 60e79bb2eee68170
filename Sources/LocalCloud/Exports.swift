@_exported public import struct HTTPServing.ConnectionLimits
