package basinexport

var Count = count
