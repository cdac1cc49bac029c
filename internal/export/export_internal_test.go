package export

var Count = count
